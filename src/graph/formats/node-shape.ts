import type { NodeKind } from '../package-graph.js';

/** Of the height of a node: the point of a hexagon, the fold of a note, half the lid of a cylinder. */
const POINT = 0.3;
const FOLD = 0.22;
const LID = 0.12;
/** The second border of Crossplane. */
const BORDER = 0.1;

/** The outline of a node as the `d` of an SVG path, around the origin; kinds differ in shape. */
export function nodeShape(kind: NodeKind, width: number, height: number): string {
  const [x, y] = [width / 2, height / 2];
  const point = Math.round(height * POINT);
  const fold = Math.round(height * FOLD);
  const lid = Math.round(height * LID);
  const border = Math.round(height * BORDER);
  switch (kind) {
    case 'Configuration':
      return `M${-x} 0L${point - x} ${-y}H${x - point}L${x} 0L${x - point} ${y}H${point - x}Z`;
    case 'Function':
      return `M${y - x} ${-y}H${x - y}A${y} ${y} 0 0 1 ${x - y} ${y}H${y - x}A${y} ${y} 0 0 1 ${y - x} ${-y}Z`;
    case 'Input':
      return `M${-x} ${-y}H${x - fold}L${x} ${fold - y}V${y}H${-x}ZM${x - fold} ${-y}V${fold - y}H${x}`;
    case 'API':
      return `M${-x} ${lid - y}A${x} ${lid} 0 0 1 ${x} ${lid - y}V${y - lid}A${x} ${lid} 0 0 1 ${-x} ${y - lid}ZM${-x} ${lid - y}A${x} ${lid} 0 0 0 ${x} ${lid - y}`;
    case 'Crossplane':
      return `M${-x} ${-y}H${x}V${y}H${-x}ZM${border - x} ${-y}V${y}M${x - border} ${-y}V${y}`;
    case 'Provider':
    case 'Package':
      return `M${-x} ${-y}H${x}V${y}H${-x}Z`;
  }
}

/** How far inside its rectangle the outline of a node runs, at a height above or below its middle. */
export function shapeInset(kind: NodeKind, offset: number, height: number): number {
  const y = height / 2;
  const away = Math.min(Math.abs(offset), y);
  switch (kind) {
    case 'Configuration':
      return (POINT * height * away) / y;
    case 'Function':
      return y - Math.sqrt(y * y - away * away);
    case 'Provider':
    case 'Package':
    case 'Input':
    case 'API':
    case 'Crossplane':
      return 0;
  }
}
