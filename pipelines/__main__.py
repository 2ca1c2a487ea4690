"""`python -m pipelines` is `tacit`, for debuggers and machines without the script on their path."""

from pipelines.cli import main

if __name__ == "__main__":
    main()
