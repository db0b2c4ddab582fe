import { readFileSync } from 'node:fs';

/** What asks for the version and nothing else: it is answered before the rest of the command is loaded. */
export function isVersionAsked(argv: readonly string[]): boolean {
  return argv.length === 1 && ['--version', '-V'].includes(argv[0] ?? '');
}

/** The version that a package.json names. */
export function versionIn(manifest: URL): string {
  const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  const hasVersion = typeof content === 'object' && content !== null && 'version' in content;
  return hasVersion && typeof content.version === 'string' ? content.version : 'unknown';
}
