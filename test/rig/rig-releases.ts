/** Releases that the rig is built for and tried on. */
export const RELEASES = (process.env['XPKG_RIG_RELEASES'] ?? 'v1.20.11,v2.3.4').split(',');
