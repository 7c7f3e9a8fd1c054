"""Files: JSON, and what pyarrow and others read and write."""
