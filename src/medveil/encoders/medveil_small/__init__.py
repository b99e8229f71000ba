"""medveil's own small image-report encoder: a truncated EfficientNet-lite0 beside a word network."""
