import { isSchemaObject } from '../../../core/schema/index.ts';
import { anthropicToolCodecs, anthropicTypes, type ProviderToolCodecTable } from '../../kit/index.ts';

/** The codecs of `anthropic()`, to build your own on. */
export const anthropicProviderToolCodecs: ProviderToolCodecTable = Object.freeze(
  anthropicToolCodecs(anthropicTypes, {
    entry: ({ name, type }) => ({ type, name }),
    choice: (name) => ({ type: 'tool', name }),
    inputOf: ({ input, name, type }, wanted) => {
      if (type !== 'tool_use' || name !== wanted) return undefined;
      // Malformed JSON is a text.
      return isSchemaObject(input) ? input : {};
    },
  }),
);
