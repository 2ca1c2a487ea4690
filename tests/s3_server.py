"""A server that speaks the S3 protocol on a loopback port, until its standard input closes."""

import sys

from moto.server import ThreadedMotoServer


def main() -> None:
    """Start the server and print its port."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)  # noqa: T201 - how the test learns it
    sys.stdin.read()


if __name__ == "__main__":
    main()
