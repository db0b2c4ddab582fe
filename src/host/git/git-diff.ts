import { counted } from '../../core/internal/index.ts';
import { flag, optional, recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult } from '../../core/tool/index.ts';
import { resolveCommit } from './commits.ts';
import { listChanges } from './file-changes.ts';
import { type GitToolOptions, gitTool } from './git-tool.ts';
import { pathField, revisionField, skipField } from './parameters.ts';
import { fileChanges, hiddenNote, renderChanges, showChanges } from './patches.ts';

/** The tool `git_diff`. */
export function createGitDiffTool(options: GitToolOptions): AnyTool {
  return gitTool(options, {
    name: 'git_diff',
    description: 'Show the files that differ between two commits, with the changed lines.',
    inputSchema: recordSchema({
      from: revisionField('The commit before.'),
      to: optional(revisionField('The commit after.', 'HEAD')),
      path: optional(pathField('Only this file, or the files in this directory.')),
      names_only: optional(flag, { default: false, description: 'Show only which files differ.' }),
      skip: skipField('Changed files'),
    }),
    // `from` and `to` are the ids of the two commits.
    outputSchema: recordSchema({ from: text, to: text, ...fileChanges }),
    render: renderChanges,
    run: async ({ from, to = 'HEAD', path, names_only: namesOnly = false, skip = 0 }, repository) => {
      const wanted = path === undefined ? undefined : repository.paths.requested(path);
      const before = await resolveCommit(repository, from);
      const after = await resolveCommit(repository, to);
      const changes = await listChanges(repository, before, after, wanted);
      const shown = await showChanges(repository, changes, { skip, namesOnly });
      return ToolResult.ok(
        { from: before, to: after, ...shown },
        `${counted(shown.total, 'changed file')} from ${before} to ${after}.${hiddenNote(changes)}`,
      );
    },
  });
}
