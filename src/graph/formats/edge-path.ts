import type { Point } from '../layout.js';
import { rounded } from './rounded.js';

const ARROW_LENGTH = 8;
const ARROW_HALF_WIDTH = 3.5;

/** A line through points that is level at each of them, as the `d` of an SVG path. */
export function edgePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  let before = first!;
  const bends = rest.map((point) => {
    const middle = rounded((before.x + point.x) / 2);
    const bend = `C${middle} ${rounded(before.y)} ${middle} ${rounded(point.y)} ${rounded(point.x)} ${rounded(point.y)}`;
    before = point;
    return bend;
  });
  return `M${rounded(first!.x)} ${rounded(first!.y)}${bends.join('')}`;
}

/** The head of an arrow at the end of such a line. */
export function arrowPath(points: readonly Point[]): string {
  const [before, tip] = [points.at(-2)!, points.at(-1)!];
  const back = tip.x - (tip.x < before.x ? -1 : 1) * ARROW_LENGTH;
  const [top, bottom] = [tip.y - ARROW_HALF_WIDTH, tip.y + ARROW_HALF_WIDTH];
  return `M${rounded(tip.x)} ${rounded(tip.y)}L${rounded(back)} ${rounded(top)}V${rounded(bottom)}Z`;
}
