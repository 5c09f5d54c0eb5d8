import { byCodePoint } from '../../text/code-point-order.js';

const PATTERN = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STAGES = ['alpha', 'beta', ''];

/** Orders API versions from the least mature on: v1alpha1, v1beta1, v1; other names come before. */
export function byKubeVersion(a: string, b: string): number {
  const [left, right] = [PATTERN.exec(a), PATTERN.exec(b)];
  if (left === null || right === null) {
    return Number(left !== null) - Number(right !== null) || byCodePoint(a, b);
  }
  return (
    STAGES.indexOf(left[2] ?? '') - STAGES.indexOf(right[2] ?? '') ||
    Number(left[1]) - Number(right[1]) ||
    Number(left[3] ?? 0) - Number(right[3] ?? 0)
  );
}
