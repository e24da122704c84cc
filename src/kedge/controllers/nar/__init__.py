"""NonAdminRestores: people without cluster rights bring back what is their own."""
