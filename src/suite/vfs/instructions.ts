import { type FilesystemCapabilities, normalizePath } from '../../core/filesystem/index.ts';
import { counted, formatNumber, shorten, showName } from '../../core/internal/index.ts';
import { describeKinds, type VfsAttachmentKind } from './attachment.ts';
import type { VfsLimits } from './limits.ts';
import { type VfsToolName, vfsWritingTools } from './vfs-tools.ts';
import type { VfsMount } from './workspace.ts';

/** Names at the top of each mount that the instructions list, and characters of one of them. */
const maxPreviewed = 20;
const maxNameLength = 80;

/** What the instructions of a section depend on. */
export interface InstructionFacts {
  readonly tools: ReadonlySet<VfsToolName>;
  readonly limits: VfsLimits;
  readonly attachments: ReadonlySet<VfsAttachmentKind>;
  readonly respectGitignore: boolean;
  readonly rollback: FilesystemCapabilities['rollback'];
  /** Whether overwriting what was not read is denied. */
  readonly guardsOverwriting: boolean;
  readonly mounts: readonly VfsMount[];
}

/** What becomes of the changes of a call that fails. */
const rollbackLines: Readonly<Record<FilesystemCapabilities['rollback'], string>> = {
  all: 'Every call is all or nothing: one that fails, is denied or is stopped leaves every file as it was. What earlier calls did stays.',
  'own-writes':
    'Every call of these tools is all or nothing: one that fails, is denied or is stopped leaves no change of its own. What other programs write is not undone.',
  none: 'Changes are not undone when a call fails: read the files again before you continue.',
};

/** The instructions about the workspace, and about the offered tools only. */
export function vfsInstructions(facts: InstructionFacts): string {
  const lines = [...toolLines(facts), ...ignoreLine(facts), ...guardLine(facts)].map((line) => `- ${line}`);
  return [
    'These tools work on the files of one workspace. A path starts at its root and has "/" between its parts, for example `src/main.ts`; nothing outside the workspace can be reached. Results show a name with whitespace or special characters as a JSON string: pass the name itself, unescaped.',
    lines.join('\n'),
    ...mountLines(facts.mounts),
    ...(isWritable(facts) ? [rollbackLines[facts.rollback]] : ['The files can only be read.']),
  ].join('\n\n');
}

/** The text of the section while it is summarized. */
export function vfsSummary(facts: Pick<InstructionFacts, 'tools'>): string {
  return isWritable(facts)
    ? 'A workspace of files, with tools to find, read and change them.'
    : 'A workspace of files, with tools to find and read them.';
}

function toolLines({ tools, limits, attachments }: InstructionFacts): readonly string[] {
  const attached = describeKinds(attachments);
  const lines: Readonly<Record<VfsToolName, string>> = {
    ls: '`ls` shows what one directory holds.',
    glob: '`glob` finds files by path, such as `**/*.md`.',
    grep: '`grep` finds lines by content. Search before you read whole files.',
    read_file: `\`read_file\` shows up to ${formatNumber(limits.maxLines)} lines from \`offset\` on, each with its number and " | " in front, which are not part of the file.${attached === undefined ? '' : ` ${attached} is attached to the result.`}`,
    write_file: '`write_file` creates a file, or replaces all that it holds.',
    edit_file:
      '`edit_file` replaces exact text and keeps the rest: the better choice for a change in an existing file. `edits` changes several places at once.',
    rm: '`rm` removes a file, or a directory with all it holds.',
    mv: '`mv` moves or renames a file, or a directory with all it holds. Nothing may be at the new path.',
    cp: '`cp` copies a file, or a directory with all it holds. Nothing may be at the new path.',
  };
  return (['ls', 'glob', 'grep', 'read_file', 'write_file', 'edit_file', 'rm', 'mv', 'cp'] as const)
    .filter((name) => tools.has(name))
    .map((name) => lines[name]);
}

function ignoreLine({ respectGitignore, tools }: InstructionFacts): readonly string[] {
  const looking = (['ls', 'glob', 'grep'] as const).filter((name) => tools.has(name));
  if (!respectGitignore || looking.length === 0) return [];
  const names = looking.map((name) => `\`${name}\``).join(', ');
  const reading = tools.has('read_file') ? ' Ignored files can be read by name.' : '';
  return [
    `${names}: what \`.gitignore\` files name is left out, and the result says how many entries were. To look into an ignored directory, name it as \`path\`.${reading}`,
  ];
}

function guardLine({ guardsOverwriting, tools }: InstructionFacts): readonly string[] {
  if (!guardsOverwriting || !(tools.has('write_file') || tools.has('edit_file'))) return [];
  return [
    'Read an existing file before you overwrite or edit it, all of it before you replace all of it; otherwise the call is denied. New files need no reading.',
  ];
}

function mountLines(mounts: readonly VfsMount[]): readonly string[] {
  if (mounts.length === 0) return [];
  const lines = mounts.map((mount) => {
    const root = normalizePath(mount.mountPath);
    const place = root === '.' ? 'The root' : `\`${showName(root)}/\``;
    const held = counted(Object.keys(mount.files).length, 'file');
    return `- ${place} holds ${held} from outside${topEntries(mount)}${leftOut(mount)}.`;
  });
  return [`At the start:\n${lines.join('\n')}`];
}

/** The names at the top of a mount, sorted, directories with a slash: the first 20, and how many there are beside. */
function topEntries({ mountPath, files }: VfsMount): string {
  const root = normalizePath(mountPath);
  const prefix = root === '.' ? '' : `${root}/`;
  const names = new Set<string>();
  for (const given of Object.keys(files)) {
    const path = normalizePath(given);
    if (!path.startsWith(prefix)) continue;
    const [name = '', ...below] = path.slice(prefix.length).split('/');
    names.add(below.length === 0 ? name : `${name}/`);
  }
  if (names.size === 0) return '';
  const sorted = [...names].sort();
  const shown = sorted.slice(0, maxPreviewed).map((name) => `\`${showName(shorten(name, maxNameLength))}\``);
  const rest = sorted.length - shown.length;
  return `: ${shown.join(', ')}${rest === 0 ? '' : ` and ${formatNumber(rest)} more`}`;
}

function leftOut({ report }: VfsMount): string {
  if (report === undefined || report.complete) return '';
  return report.skippedCount === 0
    ? '; more were left out because there were too many'
    : `; ${formatNumber(report.skippedCount)} or more were left out because they were too large or could not be read`;
}

function isWritable({ tools }: Pick<InstructionFacts, 'tools'>): boolean {
  return [...tools].some((name) => vfsWritingTools.has(name));
}
