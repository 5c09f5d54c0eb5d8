/** Pixels on the screen for a pixel of the drawing, at most. */
const MAX_SCALE = 3;
/** Below this, names cannot be read: a large drawing is shown in part rather than smaller. */
const READABLE_SCALE = 0.65;
/** Pixels that a finger or mouse moves before a click is a drag. */
const DRAG_DISTANCE = 5;
const WHEEL_STEP = 0.0015;
const BUTTON_STEP = 1.4;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The part of the drawing that shows: moved with one finger or the mouse, zoomed with two or the wheel. */
export class Viewport {
  readonly #svg: SVGSVGElement;
  readonly #whole: { readonly width: number; readonly height: number };
  readonly #fingers = new Map<number, Point>();
  #scale = 1;
  /** What of the drawing is at the top left. */
  #corner: Point = { x: 0, y: 0 };
  #dragged = 0;

  constructor(svg: SVGSVGElement) {
    this.#svg = svg;
    this.#whole = { width: Number(svg.dataset['width']), height: Number(svg.dataset['height']) };
    svg.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    svg.addEventListener('pointerdown', (event) => this.#press(event));
    svg.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      svg.addEventListener(end, (event) => void this.#fingers.delete(event.pointerId));
    }
    new ResizeObserver(() => this.#show()).observe(svg);
  }

  /** Whether the last press moved the drawing, and was no click. */
  get wasDragged(): boolean {
    return this.#dragged > DRAG_DISTANCE;
  }

  /** All of the drawing. */
  fit(): void {
    this.#scale = this.#fitting();
    const { width, height } = this.#shown();
    this.#corner = { x: (this.#whole.width - width) / 2, y: (this.#whole.height - height) / 2 };
    this.#show();
  }

  /** All of the drawing if its names can then be read, else what is around a point. */
  open(around: Point): void {
    if (this.#fitting() >= READABLE_SCALE) return this.fit();
    this.#scale = READABLE_SCALE;
    this.centre(around);
  }

  centre({ x, y }: Point): void {
    this.#scale = Math.max(this.#scale, READABLE_SCALE);
    const { width, height } = this.#shown();
    this.#corner = {
      x: within(x - width / 2, this.#whole.width - width),
      y: within(y - height / 2, this.#whole.height - height),
    };
    this.#show();
  }

  /** Moves only if the point is not in sight. */
  reveal(point: Point): void {
    const { width, height } = this.#shown();
    const [x, y] = [point.x - this.#corner.x, point.y - this.#corner.y];
    const inside = x > width * 0.1 && x < width * 0.9 && y > height * 0.1 && y < height * 0.9;
    if (!inside || this.#scale < READABLE_SCALE / 2) this.centre(point);
  }

  zoomIn(): void {
    this.#zoom(BUTTON_STEP, this.#middle());
  }

  zoomOut(): void {
    this.#zoom(1 / BUTTON_STEP, this.#middle());
  }

  /** `at`: what stays where it is on the screen. */
  #zoom(factor: number, at: Point): void {
    const { left, top } = this.#svg.getBoundingClientRect();
    const [x, y] = [at.x - left, at.y - top];
    const smallest = Math.min(this.#fitting(), READABLE_SCALE) / 2;
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
    if (this.#fingers.size === 0) this.#dragged = 0;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #move(event: PointerEvent): void {
    const before = this.#fingers.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.#fingers.set(event.pointerId, now);
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
    const factor = distance(now, other) / (distance(before, other) || 1);
    this.#zoom(factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  #fitting(): number {
    const { width, height } = this.#svg.getBoundingClientRect();
    return Math.min(width / this.#whole.width, height / this.#whole.height, 1) || 1;
  }

  /** How much of the drawing is in sight. */
  #shown(): { readonly width: number; readonly height: number } {
    const { width, height } = this.#svg.getBoundingClientRect();
    return { width: width / this.#scale, height: height / this.#scale };
  }

  #middle(): Point {
    const { left, top, width, height } = this.#svg.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  #show(): void {
    const { width, height } = this.#shown();
    if (width === 0 || height === 0) return;
    this.#svg.setAttribute('viewBox', `${this.#corner.x} ${this.#corner.y} ${width} ${height}`);
  }
}

/** A corner from which the view shows nothing beyond the drawing; `last`: the greatest such. */
function within(corner: number, last: number): number {
  return last < 0 ? last / 2 : Math.min(last, Math.max(0, corner));
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
