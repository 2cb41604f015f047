// The documentation site: `./ristretto docs` builds and serves it.
import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const docs = new URL('..', import.meta.url)

/** Title of a page: its first heading. */
function title(page) {
  const heading = /^# (.*)$/m.exec(readFileSync(new URL(page + '.md', docs), 'utf8'))
  return heading ? heading[1].replaceAll('`', '') : page
}

const item = page => ({ text: title(page), link: '/' + page })
const items = (...pages) => pages.map(item)

/** All pages of a folder but its contents page. */
const folder = name =>
  readdirSync(new URL(name, docs))
    .filter(file => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map(file => item(name + '/' + file.slice(0, -3)))

const sidebar = [
  { text: 'Start', items: [{ text: 'Ristretto', link: '/' }, ...items('how-to', 'build-tools', 'troubleshooting', 'comparison'), { text: 'Changes', link: '/changelog' }] },
  { text: 'Tutorials', items: items('start', 'tutorials/model', 'tutorials/benchmark', 'tutorials/device', 'from-kaldi') },
  {
    text: 'Scripts',
    items: items(
      'scripting/scripts', 'scripting/files', 'scripting/plots', 'scripting/notebooks', 'scripting/dtypes',
      'scripting/derivatives', 'scripting/selection', 'scripting/linalg', 'scripting/signal',
      'scripting/random', 'scripting/special')
  },
  { text: 'Models', items: items('models', 'models/fine-tuning', 'models/onnx', 'language-models') },
  { text: 'Kaldi', items: items('nnet3', 'nnet3-performance') },
  { text: 'Devices and clusters', items: items('devices', 'spark', 'security') },
  { text: 'From other libraries', items: items('reference/from-numpy', 'models/from-pytorch', 'from-kaldi') },
  {
    text: 'Reference',
    collapsed: true,
    items: [
      { text: 'Functions', link: '/reference/' },
      ...folder('reference').filter(page => page.link !== '/reference/from-numpy'),
      item('flags')
    ]
  },
  { text: 'How it works', items: items('lambda-to-kernel', 'nnet3-lowering', 'architecture', 'performance') },
  { text: 'Decisions', collapsed: true, items: [{ text: 'All decisions', link: '/decisions/' }, ...folder('decisions')] }
]

/** Pages with wide tables have no outline beside them. */
const wide = ['flags.md', 'comparison.md', 'performance.md', 'nnet3-performance.md', 'reference/from-numpy.md']

export default defineConfig({
  title: 'Ristretto',
  description: 'A fused-kernel tensor expression engine for Java',
  lang: 'en',
  head: [['link', { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }]],
  transformPageData(page) {
    if (wide.includes(page.relativePath)) page.frontmatter.aside = false
  },
  outDir: '../target/site',
  cacheDir: '../target/site-cache',
  rewrites: { 'reference/README.md': 'reference/index.md', 'decisions/README.md': 'decisions/index.md' },
  markdown: {
    // Names such as List<Tensor<?>> in running text are no tags.
    html: true,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' }
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Scripts', link: '/scripting/scripts' },
      { text: 'Models', link: '/models' },
      { text: 'Kaldi', link: '/nnet3' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Javadoc', link: '/api/index.html', target: '_self' },
      { text: 'Performance', link: '/performance' }
    ],
    sidebar
  }
})
