import type { FileLink } from '../../core/filesystem/index.ts';
import { showName } from '../../core/internal/index.ts';

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

/** The shape of a {@link FileLink} in a result. */
export const linkSchema = {
  type: 'object',
  properties: {
    leads: { enum: ['file', 'directory', 'other', 'outside', 'nowhere'] },
    path: { type: 'string' },
  },
  required: ['leads'],
  additionalProperties: false,
} as const;
