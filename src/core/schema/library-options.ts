/**
 * Valibot's converter refuses a schema with a check that JSON Schema has no keyword for. Such checks are left out of the
 * JSON Schema instead, as Zod and ArkType do by themselves: they still hold when a value is validated. A check that changes
 * the type of a value is still refused.
 */
const valibotOptions: Readonly<Record<string, unknown>> = Object.freeze({
  ignoreActions: [
    ...[
      'check',
      'check_items',
      'every_item',
      'some_item',
      'partial_check',
      'raw_check',
      'custom',
      'excludes',
      'finite',
    ],
    ...['bytes', 'min_bytes', 'max_bytes', 'not_bytes', 'code_points', 'min_code_points', 'max_code_points'],
    ...[
      'not_code_points',
      'graphemes',
      'min_graphemes',
      'max_graphemes',
      'not_graphemes',
      'words',
      'min_words',
    ],
    ...[
      'max_words',
      'not_words',
      'not_length',
      'not_size',
      'not_entries',
      'credit_card',
      'imei',
      'ip',
      'isbn',
    ],
    ...['iso_date_time_second', 'property', 'readonly', 'brand', 'flavor'],
  ],
});

/** Options for a library's JSON Schema converter beyond the standard ones. */
export function libraryOptionsOf(vendor: string): Readonly<Record<string, unknown>> | undefined {
  return vendor === 'valibot' ? valibotOptions : undefined;
}
