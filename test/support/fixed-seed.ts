import { configureGlobal } from 'fast-check';

/**
 * Properties draw the same cases in every run, so that results do not depend on chance.
 * `XPKG_SEED=7 npm run unit` draws others. A property that discards (`fc.pre`) more than one case
 * for every four checked ones fails: it needs a better generator.
 */
configureGlobal({ seed: Number(process.env['XPKG_SEED'] ?? 1), maxSkipsPerRun: 0.25 });
