"""Names and version of this tool. No other file contains them."""

# fmt: off
TOOL = "acme-tool"
VERSION = "1.0.0"
DESCRIPTION = "Agent CLI for the Acme Tool API"
REPOSITORY = "example/acme-tool"
DISTRIBUTION = "acme-tool"
NPM_PACKAGE = "acme-tool"
ENV_PREFIX = "ACME_TOOL"
# fmt: on
