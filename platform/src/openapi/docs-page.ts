/** Colours and shape by what the reader's machine is set to; run before the renderer is. */
export const docsScript = `const page = document.querySelector('rapi-doc');
const dark = matchMedia('(prefers-color-scheme: dark)');
const narrow = matchMedia('(max-width: 900px)');
const settle = () => {
  page.setAttribute('theme', dark.matches ? 'dark' : 'light');
  page.setAttribute('render-style', narrow.matches ? 'view' : 'read');
};
settle();
dark.addEventListener('change', settle);
narrow.addEventListener('change', settle);
`;

/**
 * What the page may do: run the two scripts of this server and ask this server. Styles are allowed inline because the renderer
 * writes them into its elements; there is nothing on the page that another caller could have put there.
 */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * The page, given where its two scripts are; addresses are relative, so that a server may stand behind a path. Fields are empty
 * until the reader fills them or asks for the example: a request is not to carry filters that nobody chose.
 */
export const docsPage = (title: string, scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)}</title>
    <style>html, body { margin: 0; height: 100%; } rapi-doc { width: 100%; height: 100%; }</style>
${scripts.map((address) => `    <script type="module" src="${address}"></script>`).join('\n')}
  </head>
  <body>
    <rapi-doc
      spec-url="openapi.json"
      show-header="false"
      load-fonts="false"
      regular-font="system-ui, sans-serif"
      mono-font="ui-monospace, monospace"
      allow-server-selection="false"
      allow-spec-url-load="false"
      allow-spec-file-load="false"
      schema-style="table"
      show-method-in-nav-bar="as-colored-text"
      use-path-in-nav-bar="true"
      persist-auth="false"
      fill-request-fields-with-example="false"
    ></rapi-doc>
    <noscript>This page needs JavaScript; the description itself is at <a href="openapi.json">openapi.json</a>.</noscript>
  </body>
</html>
`;
