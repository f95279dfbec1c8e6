// The book as a site: make docs builds it. The pages are plain Markdown, in docs and as the README
// of packages and examples; docs/README.md lists them, and its list is the sidebar.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { defineConfig, type DefaultTheme } from "vitepress";

const root = resolve(import.meta.dirname, "../..");
const repository = "https://github.com/backstep-net/backstep";
const base = process.env.BASE ?? "/";
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** One page: its file in the repository and its file in the site. */
interface Page {
  file: string;
  route: string;
  text: string;
  link: string;
  summary: string;
}

/** Where a page stands in the site: docs is its root, and a README is its folder's page. */
const routeOf = (file: string) => file.replace(/^docs\//, "").replace(/README\.md$/, "index.md");

const pages: Page[] = [];
const sidebar: (DefaultTheme.SidebarItem & { items: DefaultTheme.SidebarItem[] })[] = [];
for (const line of read("docs/README.md").split("\n")) {
  const [, section] = /^## (.+)/.exec(line) ?? [];
  if (section) sidebar.push({ text: section, collapsed: sidebar.length > 2, items: [] });
  const [, text, to, summary] = /^- \[(.+?)\]\((.+?)\): (.*)/.exec(line) ?? [];
  if (!text || !to || !summary) continue;
  const file = posix.join("docs", to);
  const route = routeOf(file);
  const link = "/" + route.replace(/(^|\/)index\.md$/, "$1");
  pages.push({ file, route, text, link, summary });
  sidebar.at(-1)?.items.push({ text, link });
}
const home = { file: "docs/README.md", route: "index.md" };
const routes = new Map([home, ...pages].map((p) => [p.file, p.route]));

/** Resolves a link of a page: to a page of the book, or else to the repository. */
function follow(from: string, href: string): string {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const file = posix.join(posix.dirname(from), path).replace(/\/$/, "");
  const route = routes.get(file) ?? routes.get(file + "/README.md");
  const anchor = hash ? "#" + hash : "";
  if (!route) return `${repository}/${/\.\w+$/.test(file) ? "blob" : "tree"}/main/${file}${anchor}`;
  return "/" + route + anchor;
}

/** The anchor of a heading, as forges make it; internal/book has the same function. */
const slug = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

export default defineConfig({
  title: "Backstep",
  description: "Netcode for action games, in Go: prediction, server authority, lag compensation.",
  lang: "en",
  base,
  srcDir: "..",
  srcExclude: ["*.md", "web/*.md", "{build,cmd,internal,testdata}/**", "**/{node_modules,testdata,e2e}/**"],
  outDir: join(root, "build/book"),
  cacheDir: join(root, "build/book-cache"),
  rewrites: Object.fromEntries(routes),
  ignoreDeadLinks: "localhostLinks",
  lastUpdated: false,
  metaChunk: true,
  vite: {
    // Pages outside of docs find Vue there too.
    resolve: { alias: [{ find: /^vue(?=$|\/server-renderer$)/, replacement: join(root, "docs/node_modules/vue") }] },
    optimizeDeps: { entries: [] },
    server: { watch: { ignored: ["**/build/**"] } },
  },
  markdown: {
    anchor: { slugify: slug },
    config(md) {
      md.core.ruler.push("follow", ({ tokens, env }) => {
        const from = relative(root, env.realPath ?? env.path).split(sep).join("/");
        for (const fence of tokens) if (fence.info.startsWith("example")) fence.info = ""; // of docs/protocol.md
        for (const token of tokens.flatMap((t) => t.children ?? []))
          if (token.type === "link_open") token.attrSet("href", follow(from, token.attrGet("href") ?? ""));
      });
    },
  },
  themeConfig: {
    nav: [{ text: "See it live", link: "/split/index.html", target: "_self" }],
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
    footer: { message: "Apache-2.0", copyright: "Copyright 2026 the Backstep authors" },
  },
  // Beside each page its Markdown, and the whole book for language models: llms.txt, llms-full.txt; the split
  // view, which is a page of its own.
  buildEnd({ outDir }) {
    cpSync(join(root, "build/split"), join(outDir, "split"), { recursive: true });
    const plain = (file: string) => read(file).replaceAll(/<!-- (figures?|reference|end)\b.*?-->/g, "");
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(outDir, name)), { recursive: true });
      writeFileSync(join(outDir, name), text);
    };
    const list = plain(home.file).replaceAll(/^- \[(.+?)\]\((.+?)\)/gm, (_, text, to) => `- [${text}](${base}${routeOf(posix.join("docs", to))})`);
    put("llms.txt", list);
    put("llms-full.txt", [home, ...pages].map((p) => `<!-- ${p.route} -->\n\n${plain(p.file)}`).join("\n\n"));
    for (const p of pages) put(p.route, plain(p.file));
  },
});
