/** A tree of elements: a list repeats its element, an object nests. */
export interface Elements {
  readonly [element: string]: Content | readonly Content[];
}
type Content = string | number | Elements;

/** ClickHouse's configuration files are XML; this library build cannot read the YAML form. */
export const toXml = (elements: Elements): string =>
  Object.entries(elements)
    .flatMap(([element, content]) => (isList(content) ? content : [content]).map((one) => written(element, one)))
    .join('\n');

const isList = (content: Content | readonly Content[]): content is readonly Content[] => Array.isArray(content);

const written = (element: string, content: Content): string =>
  `<${element}>${typeof content === 'object' ? `\n${toXml(content)}\n` : escaped(String(content))}</${element}>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
