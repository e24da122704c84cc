"""What happens to objects of certain kinds on their way back, a module for each sort of kind."""
