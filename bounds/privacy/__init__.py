"""Privacy calculus: what noise, sensitivities and compositions guarantee, with the adjacency always stated."""
