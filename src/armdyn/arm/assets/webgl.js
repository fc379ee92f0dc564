// Pieces drawn by WebGL. A piece is a solid with its turn, place, size and colour.

const SOLID_VERTEX = `#version 300 es
in vec3 corner, outward;
uniform mat4 view; uniform mat3 turn; uniform vec3 at, size, up, sun; uniform float shadow, ground;
out vec3 normal, place;
void main() {
  place = turn * (size * corner) + at;
  normal = turn * (outward / size);
  if (shadow > 0.0) {
    float height = dot(place, up) - ground;
    place -= sun * (height / dot(sun, up));
    normal = vec3(height);
  }
  gl_Position = view * vec4(place, 1.0);
  gl_PointSize = 2.0;
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 normal, place;
uniform vec3 up, sun, eye; uniform vec4 colour; uniform float shadow, dim;
out vec4 pixel;
void main() {
  if (shadow > 0.0) {
    if (normal.x < 0.0) discard;
    pixel = vec4(0.0, 0.0, 0.0, shadow);
    return;
  }
  vec3 n = normalize(normal), look = normalize(eye - place);
  if (dot(n, look) < 0.0) n = -n;
  float sky = 0.5 + 0.5 * dot(n, up);
  float lit = max(dot(n, sun), 0.0);
  float fill = max(dot(n, look), 0.0);
  float shine = pow(max(dot(n, normalize(sun + look)), 0.0), 42.0);
  float rim = pow(1.0 - fill, 3.0);
  vec3 paint = colour.rgb * colour.rgb;
  vec3 light = paint * (0.20 + 0.30 * sky + 0.52 * lit + 0.16 * fill) * dim;
  light += vec3(0.12 * shine) + paint * 0.10 * rim;
  pixel = vec4(sqrt(light) * colour.a, colour.a);
}`;

const FLOOR_VERTEX = `#version 300 es
in vec3 corner;
uniform mat4 view; uniform vec3 ahead, aside, at; uniform float reach;
out vec2 place;
void main() {
  place = corner.xy * reach;
  gl_Position = view * vec4(at + place.x * ahead + place.y * aside, 1.0);
}`;

const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
uniform vec4 colour; uniform float reach, cell;
out vec4 pixel;
float lines(float width, float thick) {
  vec2 p = place / width, slope = fwidth(p);
  vec2 d = abs(fract(p - 0.5) - 0.5) / slope;
  vec2 seen = 1.0 - smoothstep(thick - 0.5, thick + 0.5, d);
  return max(seen.x, seen.y) * (1.0 - smoothstep(0.25, 0.6, max(slope.x, slope.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(place) / reach);
  float ink = max(0.35 * lines(cell, 0.5), 0.9 * lines(5.0 * cell, 0.7));
  float a = colour.a * ink * fade;
  pixel = vec4(colour.rgb * a, a);
}`;

class WebGL {
  /** `parts` are the faces around a solid: fewer for an arm of many joints. */
  constructor(canvas, parts) {
    const options = { antialias: true, alpha: true, stencil: true, premultipliedAlpha: true };
    // Without a graphics card every pixel costs time: no smoothing, and coarser solids.
    const quick = canvas.getContext("webgl2", { ...options, failIfMajorPerformanceCaveat: true });
    const gl = this.gl = quick ?? canvas.getContext("webgl2", { ...options, antialias: false });
    if (!gl) throw new Error("no WebGL");
    this.most = quick ? 2 : 1;
    if (!quick) parts = Math.min(parts, 20);
    this.canvas = canvas;
    this.later = gl.getExtension("KHR_parallel_shader_compile");
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.floor = this.program(FLOOR_VERTEX, FLOOR_FRAGMENT);
    this.solids = {};
    for (const [name, make] of Object.entries(SOLIDS)) this.solids[name] = this.buffer(make(parts));
    const quad = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]];
    this.quad = this.buffer(quad.flatMap(([x, y]) => [x, y, 0, 0, 0, 1]));
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, "corner");
    gl.bindAttribLocation(made, 1, "outward");
    gl.linkProgram(made);
    return { made, where: null };
  }

  /** Whether the shaders are compiled: that goes on beside the script, which must not wait for it. */
  get isReady() {
    const gl = this.gl, waiting = [this.solid, this.floor].filter(program => !program.where);
    if (this.later && waiting.some(({ made }) => !gl.getProgramParameter(made, this.later.COMPLETION_STATUS_KHR))) return false;
    for (const program of waiting) {
      const { made } = program;
      if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
      const where = program.where = {}, count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
      for (let k = 0; k < count; k++) {
        const { name } = gl.getActiveUniform(made, k);
        where[name] = gl.getUniformLocation(made, name);
      }
    }
    return true;
  }

  buffer(numbers) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    return { array, count: numbers.length / 6 };
  }

  draw(pieces, camera, look) {
    const gl = this.gl, ratio = Math.min(window.devicePixelRatio || 1, this.most);
    const width = Math.round(camera.width * ratio), height = Math.round(camera.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const view = camera.matrix();
    this.drawFloor(view, look);
    const { made, where } = this.solid;
    gl.useProgram(made);
    gl.uniformMatrix4fv(where.view, false, view);
    gl.uniform3fv(where.up, look.up);
    gl.uniform3fv(where.sun, look.sun);
    gl.uniform3fv(where.eye, camera.eye);
    gl.uniform1f(where.ground, look.ground);
    gl.uniform1f(where.dim, look.dim);
    gl.uniform1f(where.shadow, look.shadow);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    for (const piece of pieces) if (piece.shadow) this.piece(piece);
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
    gl.uniform1f(where.shadow, 0);
    for (const piece of pieces) if (piece.colour[3] === 1) this.piece(piece);
    gl.depthMask(false);
    for (const piece of pieces) if (piece.colour[3] < 1) this.piece(piece);
    gl.depthMask(true);
  }

  drawFloor(view, look) {
    const gl = this.gl, { made, where } = this.floor;
    gl.useProgram(made);
    gl.uniformMatrix4fv(where.view, false, view);
    gl.uniform3fv(where.ahead, look.ahead);
    gl.uniform3fv(where.aside, look.aside);
    gl.uniform3fv(where.at, times(look.ground, look.up));
    gl.uniform4fv(where.colour, look.grid);
    gl.uniform1f(where.reach, look.reach);
    gl.uniform1f(where.cell, look.cell);
    gl.depthMask(false);
    gl.bindVertexArray(this.quad.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.quad.count);
    gl.depthMask(true);
  }

  piece({ solid, turn, at, size, colour }) {
    const gl = this.gl, { where } = this.solid, { array, count } = this.solids[solid];
    gl.uniformMatrix3fv(where.turn, false, [
      turn[0][0], turn[1][0], turn[2][0], turn[0][1], turn[1][1], turn[2][1],
      turn[0][2], turn[1][2], turn[2][2],
    ]);
    gl.uniform3fv(where.at, at);
    gl.uniform3fv(where.size, size);
    gl.uniform4fv(where.colour, colour);
    gl.bindVertexArray(array);
    gl.drawArrays(solid === "dots" ? gl.POINTS : gl.TRIANGLES, 0, count);
  }

  /** Make triangles a solid of a name: corners and normals, as of `meshSolid`. */
  mesh(name, numbers) { this.solids[name] = this.buffer(numbers); }

  /** Make points a solid of the name "dots". */
  dots(points, up) { this.solids.dots = this.buffer(points.flatMap(p => [...p, ...up])); }
}

/** The same pieces as lines, where a browser has no WebGL. */
class Lines {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
  }

  get isReady() { return true; }

  dots() {}

  draw(pieces, camera, look) {
    const ratio = window.devicePixelRatio || 1, pen = this.pen;
    this.canvas.width = camera.width * ratio;
    this.canvas.height = camera.height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineCap = "round";
    const seen = pieces.filter(piece => piece.solid !== "dots").map(piece => ({ piece, at: camera.project(piece.at) })).filter(x => x.at);
    for (const { piece, at } of seen.sort((a, b) => b.at.depth - a.at.depth)) {
      const [r, g, b, a] = piece.colour;
      pen.fillStyle = pen.strokeStyle = `rgba(${255 * r},${255 * g},${255 * b},${a})`;
      const along = times(0.5 * piece.size[2], column(piece.turn, 2));
      const ends = ["tube", "drum"].includes(piece.solid)
        && [camera.project(sub(piece.at, along)), camera.project(add(piece.at, along))];
      pen.beginPath();
      if (ends && ends[0] && ends[1]) {
        pen.lineWidth = Math.max(1, 2 * piece.size[0] * at.scale);
        pen.moveTo(ends[0].x, ends[0].y);
        pen.lineTo(ends[1].x, ends[1].y);
        pen.stroke();
      } else {
        pen.arc(at.x, at.y, Math.max(1, piece.size[0] * at.scale), 0, 2 * Math.PI);
        pen.fill();
      }
    }
  }
}
