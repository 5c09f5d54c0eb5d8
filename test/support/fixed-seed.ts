import { configureGlobal } from 'fast-check';

/**
 * Properties draw the same cases in every run, so that a change is judged by itself and not by luck.
 * `XPKG_SEED=7 npm run unit` draws others.
 */
configureGlobal({ seed: Number(process.env['XPKG_SEED'] ?? 1) });
