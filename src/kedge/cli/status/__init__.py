"""`kedge status`: what ran, what runs next, what waits, what is wrong and what to do."""
