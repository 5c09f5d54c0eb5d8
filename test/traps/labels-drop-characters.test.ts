import { expect, test } from 'vitest';
import { toDnsLabel } from '../../src/crossplane/packages/object-names.js';

test.each([
  { text: 'acme/my_project_fn', want: 'acme-myprojectfn' },
  { text: 'Acme/My_Project_fn', want: 'cme-yrojectfn' },
])('`_` and upper case are dropped, not replaced: $text → $want', ({ text, want }) => {
  expect(toDnsLabel(text)).toBe(want);
});
