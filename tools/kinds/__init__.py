"""From what a real server tells to the compact table of built-in kinds."""
