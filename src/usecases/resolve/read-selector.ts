import { InputError } from '../../model/input-error.js';
import type { Origin } from '../../model/package.js';
import { isTag } from '../../model/reference.js';
import type { Selector } from '../../model/selector.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { isDigest } from '../../text/digest.js';

/** A digest; else a constraint, if the target's dialect reads it as one; else a tag. */
export function readSelector(text: string, target: Target, origin: Origin): Selector {
  if (isDigest(text)) return { form: 'digest', digest: text };
  if (!parseConstraint(text, target.rules.dialect).invalid) return { form: 'range', text };
  if (isTag(text)) return { form: 'tag', tag: text };
  const message = `\`${text}\` is neither a constraint on Crossplane ${target.version}, nor a tag, nor a digest`;
  const hint = `ask \`xpkg-resolve constraint '${text}' --crossplane ${target.version}\` why`;
  throw new InputError(message, { origin, hint });
}
