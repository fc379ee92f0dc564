"""A small xacro file, and the macros that it includes."""

from __future__ import annotations

ROBOT = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'

MACROS = f"""{ROBOT}
  <xacro:property name="length" value="0.4"/>
  <xacro:macro name="link" params="name mass">
    <link name="${{name}}">
      <inertial>
        <origin xyz="${{length / 2}} 0 0"/>
        <mass value="${{mass}}"/>
        <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
      </inertial>
    </link>
    <joint name="${{name}}_joint" type="revolute">
      <parent link="base"/>
      <child link="${{name}}"/>
      <axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="5" velocity="2"/>
    </joint>
  </xacro:macro>
</robot>
"""

ARM = f"""{ROBOT}
  <xacro:include filename="parts/macros.xacro"/>
  <xacro:arg name="mass" default="2.0"/>
  <link name="base"/>
  <xacro:link name="upper" mass="$(arg mass)"/>
</robot>
"""
