"""What ``tests.bench.bench_performance`` times, and how."""
