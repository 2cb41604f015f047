// Checks the built site in headless Chromium: each page fits a phone and has enough contrast, and
// the search finds a function. Screenshots are in target/site-pictures.
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, relative } from 'node:path'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import puppeteer from 'puppeteer-core'

const root = fileURLToPath(new URL('../../target/site', import.meta.url))
const pictures = fileURLToPath(new URL('../../target/site-pictures', import.meta.url))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const types = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
  '.png': 'image/png', '.svg': 'image/svg+xml', '.woff2': 'font/woff2'
}

const server = createServer((request, response) => {
  let path = join(root, decodeURIComponent(new URL(request.url, 'http://host').pathname))
  try {
    if (statSync(path).isDirectory()) path = join(path, 'index.html')
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream')
    response.end(readFileSync(path))
  } catch {
    response.statusCode = 404
    response.end()
  }
})
await new Promise(ready => server.listen(0, '127.0.0.1', ready))
const address = `http://127.0.0.1:${server.address().port}/`

function pages(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return pages(path)
    return entry.name.endsWith('.html') ? [relative(root, path)] : []
  })
}

const faults = []
const fault = (page, what) => {
  faults.push(what)
  console.log(`[site] ${page}: ${what}`)
}
mkdirSync(pictures, { recursive: true })
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage']
})
const tab = await browser.newPage()
tab.on('pageerror', e => fault(tab.url(), e.message))
tab.on('response', r => r.status() >= 400 && fault(tab.url(), `${r.status()} for ${r.url()}`))

async function contrast(page, theme) {
  await tab.evaluate(dark => document.documentElement.classList.toggle('dark', dark), theme === 'dark')
  const found = await tab.evaluate(() => axe.run(document, { runOnly: ['color-contrast'] }))
  for (const violation of found.violations) {
    const nodes = violation.nodes.map(n => n.html.slice(0, 120))
    fault(page, `${nodes.length} texts of low contrast (${theme}), such as ${nodes[0]}`)
  }
}

if (!pages(root).includes('api/index.html')) fault('api', 'has no javadoc')
const all = pages(root).filter(page => page !== '404.html' && !page.startsWith('api/'))
for (const page of all) {
  const name = join(pictures, page.replaceAll('/', '-').replace('.html', ''))
  await tab.setViewport({ width: 390, height: 844 })
  await tab.goto(address + page, { waitUntil: 'load' })
  await tab.addStyleTag({ content: '* { transition: none !important }' })
  const width = await tab.evaluate(() => document.documentElement.scrollWidth)
  if (width > 390) fault(page, `is ${width} pixels wide on a phone of 390`)
  await tab.screenshot({ path: `${name}-phone.png` })
  await tab.setViewport({ width: 1280, height: 900 })
  await tab.evaluate(axe)
  await contrast(page, 'light')
  await tab.screenshot({ path: `${name}.png` })
  if (page === 'index.html' || page === 'spark.html') await contrast(page, 'dark')
}

await tab.goto(address, { waitUntil: 'networkidle0' })
await tab.click('.VPNavBarSearch button')
await tab.waitForSelector('.VPLocalSearchBox input')
await tab.type('.VPLocalSearchBox input', 'softmax')
try {
  await tab.waitForSelector('.VPLocalSearchBox .result', { timeout: 10_000 })
  await tab.screenshot({ path: join(pictures, 'search.png') })
} catch {
  fault('search', 'does not find softmax')
}
await browser.close()
server.close()
console.log(`[site] ${all.length} pages, ${faults.length} faults`)
process.exit(faults.length === 0 ? 0 : 1)
