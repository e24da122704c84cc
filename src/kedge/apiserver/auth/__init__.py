"""Who asks, and whether they may: certificates, tokens, impersonation, RBAC and reviews."""
