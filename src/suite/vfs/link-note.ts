import type { FileLink } from '../../core/filesystem/index.ts';
import { showName } from '../../core/internal/index.ts';
import { choice, type Field, optional, record, text } from '../../core/schema/index.ts';

/** The note after the name of a link in a list. */
export function linkNote(link: FileLink): string {
  switch (link.leads) {
    case 'file':
      return `link to ${showName(link.path)}`;
    case 'directory':
      return `link to ${showName(`${link.path}/`)}`;
    case 'other':
      return `link to ${showName(link.path)}, which cannot be read`;
    case 'outside':
      return 'link that leads out of the workspace';
    case 'nowhere':
      return 'link that leads nowhere';
  }
}

/** A {@link FileLink} in a result. */
export const linkField: Field<FileLink> = record({
  leads: choice('file', 'directory', 'other', 'outside', 'nowhere'),
  path: optional(text),
}) as Field<FileLink>;
