"""The networks themselves: backbones, the heads on top of them, and the file they are kept in."""
