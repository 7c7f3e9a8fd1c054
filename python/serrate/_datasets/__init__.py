"""Arrays whose data are in files, cut into partitions: recorded programs that run partition by
partition."""
