"""Training: self-play on the device, what its games teach, replay, learner and loop."""
