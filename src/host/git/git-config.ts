import { quoteText, startOf } from '../../core/internal/index.ts';
import { GitRefusal } from './git-error.ts';

/** How the objects of a repository are named. */
export type ObjectFormat = 'sha1' | 'sha256';

const sectionHeader = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"[^\]]*")?\s*\]/;
const entryLine = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/;

/** Extensions that change nothing about reading objects. */
const harmlessKeys: ReadonlySet<string> = new Set([
  'noop',
  'preciousobjects',
  'partialclone',
  'worktreeconfig',
  'relativeworktrees',
]);

/**
 * Reads from the config of a repository how its objects are stored, and refuses what these tools do not support. Nothing else of it is used,
 * included files are not read, and git never sees it.
 * @throws {GitRefusal}
 */
export function readObjectFormat(config: string): ObjectFormat {
  let section = '';
  let format: ObjectFormat = 'sha1';
  for (const raw of config.split(/\r?\n/)) {
    let line = raw.trim();
    const header = sectionHeader.exec(line);
    if (header !== null) {
      section = header[1]?.toLowerCase() ?? '';
      line = line.slice(header[0].length).trim();
    }
    if (section !== 'core' && section !== 'extensions') continue;
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const entry = entryLine.exec(line);
    if (entry === null) {
      // The next line of a value, such as that of core.sshCommand: it decides nothing here.
      continue;
    }
    const key = entry[1]?.toLowerCase() ?? '';
    const value = plainValue(entry[2] ?? 'true');
    if (section === 'core') assertCore(key, value);
    else if (key === 'objectformat') format = objectFormat(value);
    else assertExtension(key, value);
  }
  return format;
}

function assertCore(key: string, value: string): void {
  if (key === 'worktree')
    throw new GitRefusal(
      'The repository sets core.worktree: its files are in another folder. That is not supported.',
    );
  if (key === 'repositoryformatversion' && value !== '0' && value !== '1') {
    throw new GitRefusal(
      `The repository has the format version ${quoteText(startOf(value, 40))}. Only 0 and 1 are supported.`,
    );
  }
}

function objectFormat(value: string): ObjectFormat {
  const name = value.toLowerCase();
  if (name === 'sha1' || name === 'sha256') return name;
  throw new GitRefusal(
    `The repository has the object format ${quoteText(startOf(value, 40))}. Only sha1 and sha256 are supported.`,
  );
}

function assertExtension(key: string, value: string): void {
  if (key === 'refstorage' && value.toLowerCase() === 'files') return;
  if (key === 'refstorage') {
    throw new GitRefusal(
      `The repository stores its refs as ${quoteText(startOf(value, 40))}. Only the storage "files" is supported.`,
    );
  }
  if (harmlessKeys.has(key)) return;
  throw new GitRefusal(
    `The repository uses the extension ${quoteText(startOf(key, 40))}, which is not supported.`,
  );
}

/** A value without its comment and quotes. Values with more than that are valid for none of the keys that are read. */
function plainValue(value: string): string {
  const quoted = /^"([^"\\]*)"/.exec(value);
  return quoted?.[1] ?? value.replace(/\s*[#;].*$/, '').trim();
}
