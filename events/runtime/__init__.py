"""What long work leans on: worker processes, durable writing, the garbage collector at rest."""
