// gen-contract: keeps the vendored files equal to another repository.
process.exit(1);
