"""Jobs that workers do under leases, whatever they compute: states, attempts, kinds."""
