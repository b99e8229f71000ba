"""Questions on images, raw and cleaned: `cleaners` cleans in the ways that are compared, `measuring` runs it all."""
