/** Maximum scale: pixels on the screen per pixel of the drawing. */
const MAX_SCALE = 3;
/** Smallest scale with readable names. A large drawing is shown in part rather than smaller. */
const READABLE_SCALE = 0.65;
/** Distance in pixels from which a press counts as a drag. */
const DRAG_DISTANCE = 5;
const WHEEL_STEP = 0.0015;
const BUTTON_STEP = 1.4;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The visible part of the drawing, with panning and zooming by mouse, wheel and touch. */
export class Viewport {
  readonly #svg: SVGSVGElement;
  readonly #drawing: { readonly width: number; readonly height: number };
  readonly #pointers = new Map<number, Point>();
  #scale = 1;
  /** Point of the drawing at the top left corner. */
  #corner: Point = { x: 0, y: 0 };
  #dragged = 0;

  constructor(svg: SVGSVGElement) {
    this.#svg = svg;
    this.#drawing = { width: Number(svg.dataset['width']), height: Number(svg.dataset['height']) };
    svg.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    svg.addEventListener('pointerdown', (event) => this.#press(event));
    svg.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      svg.addEventListener(end, (event) => void this.#pointers.delete(event.pointerId));
    }
    new ResizeObserver(() => this.#show()).observe(svg);
  }

  /** Whether the last press was a drag, not a click. */
  get wasDragged(): boolean {
    return this.#dragged > DRAG_DISTANCE;
  }

  /** Shows the whole drawing. */
  fit(): void {
    this.#scale = this.#fittingScale();
    const { width, height } = this.#visibleSize();
    this.#corner = { x: (this.#drawing.width - width) / 2, y: (this.#drawing.height - height) / 2 };
    this.#show();
  }

  /** Shows the whole drawing if names are then readable, else the surroundings of a point. */
  open(around: Point): void {
    if (this.#fittingScale() >= READABLE_SCALE) return this.fit();
    this.#scale = READABLE_SCALE;
    this.center(around);
  }

  center({ x, y }: Point): void {
    this.#scale = Math.max(this.#scale, READABLE_SCALE);
    const { width, height } = this.#visibleSize();
    this.#corner = {
      x: clamp(x - width / 2, this.#drawing.width - width),
      y: clamp(y - height / 2, this.#drawing.height - height),
    };
    this.#show();
  }

  /** Centers a point if it is not visible. */
  reveal(point: Point): void {
    const { width, height } = this.#visibleSize();
    const [x, y] = [point.x - this.#corner.x, point.y - this.#corner.y];
    const inside = x > width * 0.1 && x < width * 0.9 && y > height * 0.1 && y < height * 0.9;
    if (!inside || this.#scale < READABLE_SCALE / 2) this.center(point);
  }

  zoomIn(): void {
    this.#zoom(BUTTON_STEP, this.#middle());
  }

  zoomOut(): void {
    this.#zoom(1 / BUTTON_STEP, this.#middle());
  }

  /** `at`: the point that keeps its position on the screen. */
  #zoom(factor: number, at: Point): void {
    const { left, top } = this.#svg.getBoundingClientRect();
    const [x, y] = [at.x - left, at.y - top];
    const smallest = Math.min(this.#fittingScale(), READABLE_SCALE) / 2;
    const scale = Math.min(MAX_SCALE, Math.max(smallest, this.#scale * factor));
    this.#corner = {
      x: this.#corner.x + x / this.#scale - x / scale,
      y: this.#corner.y + y / this.#scale - y / scale,
    };
    this.#scale = scale;
    this.#show();
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    // A touchpad reports a pinch as a wheel with the control key, in small steps.
    const step = event.ctrlKey ? WHEEL_STEP * 6 : WHEEL_STEP;
    this.#zoom(Math.exp(-event.deltaY * step), { x: event.clientX, y: event.clientY });
  }

  #press(event: PointerEvent): void {
    if (this.#pointers.size === 0) this.#dragged = 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, now);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    this.#dragged += Math.hypot(dx, dy);
    if (!this.wasDragged) return;
    this.#svg.setPointerCapture(event.pointerId);
    const share = other === undefined ? 1 : 0.5;
    this.#corner = {
      x: this.#corner.x - (dx * share) / this.#scale,
      y: this.#corner.y - (dy * share) / this.#scale,
    };
    if (other === undefined) return this.#show();
    const distance = (to: Point) => Math.hypot(to.x - other.x, to.y - other.y);
    const factor = distance(now) / (distance(before) || 1);
    this.#zoom(factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  #fittingScale(): number {
    const { width, height } = this.#svg.getBoundingClientRect();
    return Math.min(width / this.#drawing.width, height / this.#drawing.height, 1) || 1;
  }

  /** Returns the size of the visible part. */
  #visibleSize(): { readonly width: number; readonly height: number } {
    const { width, height } = this.#svg.getBoundingClientRect();
    return { width: width / this.#scale, height: height / this.#scale };
  }

  #middle(): Point {
    const { left, top, width, height } = this.#svg.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  #show(): void {
    const { width, height } = this.#visibleSize();
    if (width === 0 || height === 0) return;
    this.#svg.setAttribute('viewBox', `${this.#corner.x} ${this.#corner.y} ${width} ${height}`);
  }
}

/** Limits a corner so that the view stays inside the drawing; `last`: the largest such value. */
function clamp(corner: number, last: number): number {
  return last < 0 ? last / 2 : Math.min(last, Math.max(0, corner));
}
