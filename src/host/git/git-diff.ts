import { counted } from '../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../core/schema/index.ts';
import { type Tool, ToolResult, tool } from '../../core/tool/index.ts';
import { resolveCommit } from './commits.ts';
import { listChanges } from './file-changes.ts';
import { pathProperty, revisionProperty, skipFiles } from './parameters.ts';
import { fileChangesSchema, type GitFileChanges, hiddenNote, renderChanges, showChanges } from './patches.ts';
import { type GitToolOptions, withRepository } from './with-repository.ts';

/** Arguments of `git_diff`. */
export interface GitDiffParams {
  /** The commit before. */
  readonly from: string;
  /** The commit after. Default: `HEAD`. */
  readonly to?: string;
  /** Only this file, or the files in this directory. Default: all. */
  readonly path?: string;
  /** Whether to leave out the changed lines. Default: false. */
  readonly names_only?: boolean;
  /** Changed files to skip. Default: 0. */
  readonly skip?: number;
}

/** The difference between two commits. */
export interface GitDiffResult extends GitFileChanges {
  /** The id of the commit before. */
  readonly from: string;
  /** The id of the commit after. */
  readonly to: string;
}

const outputSchema: Schema<GitDiffResult> = jsonSchema<GitDiffResult>({
  type: 'object',
  properties: { from: { type: 'string' }, to: { type: 'string' }, ...fileChangesSchema },
  required: ['from', 'to', 'files', 'total'],
  additionalProperties: false,
});

/** The tool `git_diff`. */
export function createGitDiffTool(options: GitToolOptions): Tool<GitDiffParams, GitDiffResult> {
  return tool({
    name: 'git_diff',
    description: 'Show the files that differ between two commits, with the changed lines.',
    inputSchema: jsonSchema<GitDiffParams>({
      type: 'object',
      properties: {
        from: revisionProperty('The commit before.'),
        to: revisionProperty('The commit after.', 'HEAD'),
        path: pathProperty('Only this file, or the files in this directory.'),
        names_only: { type: 'boolean', default: false, description: 'Show only which files differ.' },
        skip: skipFiles,
      },
      required: ['from'],
      additionalProperties: false,
    }),
    outputSchema,
    effects: 'read',
    render: renderChanges,
    execute: ({ from, to = 'HEAD', path, names_only = false, skip = 0 }, context) =>
      withRepository<GitDiffResult>(context, options, async (repository) => {
        const wanted = path === undefined ? undefined : repository.paths.requested(path);
        const before = await resolveCommit(repository, from);
        const after = await resolveCommit(repository, to);
        const changes = await listChanges(repository, before, after, wanted);
        const shown = await showChanges(repository, changes, { skip, namesOnly: names_only });
        return ToolResult.ok(
          { from: before, to: after, ...shown },
          `${counted(shown.total, 'changed file')} from ${before} to ${after}.${hiddenNote(changes)}`,
        );
      }),
  });
}
