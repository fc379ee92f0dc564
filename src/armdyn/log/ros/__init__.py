"""Recordings of ROS 2: their files, the encoding of their messages, and logs of joints."""
