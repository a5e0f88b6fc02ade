"""Tables in partitions on the machines of a cluster: what a kind of cluster must offer, and one file for each kind."""
