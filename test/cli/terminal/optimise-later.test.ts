import { expect, test } from 'vitest';
import { optimizeLater } from '../../../src/cli/terminal/process.js';

test.each([
  { v8: '11.3.244.8-node.38', flags: ['--interrupt-budget=400000'], why: 'Node.js 20' },
  { v8: '12.4.254.21-node.33', flags: [], why: 'Node.js 22 does not know the flag' },
  { v8: '13.6.233.10-node.28', flags: [], why: 'Node.js 24 does not know the flag' },
])('V8 $v8: $why', ({ v8, flags }) => {
  const set: string[] = [];
  optimizeLater(v8, (flag) => set.push(flag));
  expect(set).toEqual(flags);
});
