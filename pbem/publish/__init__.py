"""Read models to a folder of static pages, swapped in whole."""
