"""Second checks of an accepted certificate. Nothing that the checker accepts rests on this folder."""
