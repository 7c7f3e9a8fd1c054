"""The functions of serrate once more: operations.sum is serrate.sum. The package puts them here."""
